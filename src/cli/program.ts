import { Command, CommanderError } from '@commander-js/extra-typings';
import { apiUser } from './api-user/index.ts';
import { auction } from './auction/index.ts';
import { programName, usageErrorCode } from './command.ts';
import { contact } from './contact/index.ts';
import { dispute } from './dispute/index.ts';
import { domain } from './domain/index.ts';
import { history } from './history.ts';
import { lists } from './lists/index.ts';
import { registrar } from './registrar/index.ts';
import { retained } from './retained/index.ts';
import { token } from './token/index.ts';

/** Every noun, and with it every verb, of the operator's tool. */
export const program = new Command(programName)
  .description("The operator's tool: everything a registry's operator does, without SQL")
  .usage('<noun> <verb> [options]')
  .exitOverride()
  .showHelpAfterError('(--help shows the nouns)')
  .addCommand(registrar)
  .addCommand(apiUser)
  .addCommand(contact)
  .addCommand(domain)
  .addCommand(retained)
  .addCommand(dispute)
  .addCommand(auction)
  .addCommand(token)
  .addCommand(lists)
  .addCommand(history)
  .addHelpText(
    'after',
    `
Each noun and each verb has its own --help. Without --remote the tool works on the local database,
also while npm start is running.

Example:
  ${programName} registrar add --code ALPHA --name "Alpha OÜ"`,
  );

/** Runs a command line and sets the process's exit status: 0 done, 1 refused (the reason is printed), 2 wrong usage. */
export async function runProgram(args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === usageErrorCode) console.error(`error: ${error.message}`);
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  }
}
