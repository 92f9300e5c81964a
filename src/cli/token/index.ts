import { noun } from '../command.ts';
import { issue } from './issue.ts';

export const token = noun(
  'token',
  "Registrants' tokens, for support and testing",
  'token issue --ident EE38001085718 --name "Jaan Tamm"',
).addCommand(issue);
