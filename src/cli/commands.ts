import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** A command: one line for the help, and the module that does it, loaded only when the command is asked for. */
export interface CommandEntry {
  summary: string;
  load(): Promise<{ command: CommandUnknownOpts }>;
}

/** Commands about one thing. */
export interface Noun {
  summary: string;
  example: string;
  /** The verb that is meant where none is named. */
  unnamedVerb?: string;
  verbs: Readonly<Record<string, Noun | CommandEntry>>;
}

/** Every command of the operator's tool by its words. */
export const commands: Readonly<Record<string, Noun | CommandEntry>> = {
  registrar: {
    summary: 'Registrars and the addresses they may call from',
    example: 'registrar add --code ALPHA --name "Alpha OÜ" --allow-ip 192.0.2.0/24',
    verbs: {
      add: { summary: 'Add a registrar', load: () => import('./registrar/add.ts') },
      list: { summary: 'List the registrars', load: () => import('./registrar/list.ts') },
      show: {
        summary: 'Show a registrar and its API users',
        load: () => import('./registrar/show.ts'),
      },
      update: {
        summary: 'Change the name of a registrar, the addresses it may call from, or its webhook',
        load: () => import('./registrar/update.ts'),
      },
      webhook: {
        summary: "What is pushed to registrars' webhooks",
        example: 'registrar webhook test ALPHA',
        verbs: {
          test: {
            summary: 'Send a test from this machine to the webhook of a registrar',
            load: () => import('./registrar/webhook/test.ts'),
          },
          list: {
            summary: 'List what was pushed to one registrar or to all, and when it arrived',
            load: () => import('./registrar/webhook/list.ts'),
          },
        },
      },
    },
  },
  'api-user': {
    summary: "Registrars' users of the registrar interface",
    example: 'api-user add --registrar ALPHA --username ats',
    verbs: {
      add: {
        summary: 'Add an API user and print the generated secret, once',
        load: () => import('./api-user/add.ts'),
      },
      rotate: {
        summary: 'Replace the secret of an API user and print the new one, once',
        load: () => import('./api-user/rotate.ts'),
      },
      disable: {
        summary: 'Disable an API user, effective from the next request',
        load: () => import('./api-user/disable.ts'),
      },
      enable: {
        summary: 'Re-enable a disabled API user',
        load: () => import('./api-user/enable.ts'),
      },
      list: {
        summary: 'List the API users of one registrar or of all',
        load: () => import('./api-user/list.ts'),
      },
    },
  },
  contact: {
    summary: 'Contacts, with their codes, UUIDs, timestamps and legacy ids',
    example: 'contact list --registrar ALPHA',
    verbs: {
      list: {
        summary: 'List contacts by registrar, identity code, email or name',
        load: () => import('./contact/list.ts'),
      },
      show: {
        summary: 'Show a contact and the domains that refer to it',
        load: () => import('./contact/show.ts'),
      },
      update: {
        summary: 'Change fields of a contact',
        load: () => import('./contact/update.ts'),
      },
      status: {
        summary: 'Add statuses to a contact or remove them',
        load: () => import('./contact/status.ts'),
      },
      delete: {
        summary: 'Delete a contact that no domain refers to',
        load: () => import('./contact/delete.ts'),
      },
      import: {
        summary: 'Import contacts from a file; existing contacts are left as they are',
        load: () => import('./contact/import.ts'),
      },
      export: {
        summary: "Write a registrar's contacts, auth_info included, to a file for contact import",
        load: () => import('./contact/export.ts'),
      },
      erase: {
        summary: 'Erase what is personal of a contact, at the request of the person',
        load: () => import('./contact/erase.ts'),
      },
    },
  },
  domain: {
    summary: 'Domains and the contacts they link',
    example: 'domain import domains.csv',
    verbs: {
      import: {
        summary: 'Make domains and all their contacts equal to a file; other domains stay',
        load: () => import('./domain/import.ts'),
      },
      list: {
        summary: 'List the domains that refer to a contact',
        load: () => import('./domain/list.ts'),
      },
      show: {
        summary: 'Show a domain and its contacts',
        load: () => import('./domain/show.ts'),
      },
      remove: {
        summary: 'Remove domains, so that they link their contacts no longer',
        load: () => import('./domain/remove.ts'),
      },
    },
  },
  retained: {
    summary: 'Reserved and blocked names',
    example: 'retained add riigikogu.ee õ.ee --status reserved',
    verbs: {
      add: {
        summary: 'Reserve or block names and publish the lists',
        load: () => import('./retained/add.ts'),
      },
      remove: {
        summary: 'Release reserved or blocked names and publish the lists',
        load: () => import('./retained/remove.ts'),
      },
      list: {
        summary: 'List reserved and blocked names',
        load: () => import('./retained/list.ts'),
      },
      import: {
        summary: 'Reserve or block the names in a file and publish the lists',
        load: () => import('./retained/import.ts'),
      },
      export: {
        summary: 'Write reserved and blocked names to a file for retained import',
        load: () => import('./retained/export.ts'),
      },
    },
  },
  dispute: {
    summary: 'Disputed names',
    example: 'dispute open piip.ee --from 2026-12-01 --until 2027-02-28',
    verbs: {
      open: {
        summary: 'Open a dispute of a name and publish the lists',
        load: () => import('./dispute/open.ts'),
      },
      close: {
        summary: 'Close the dispute of a name as of today and publish the lists',
        load: () => import('./dispute/close.ts'),
      },
      list: {
        summary: 'List the disputes, past and future ones included',
        load: () => import('./dispute/list.ts'),
      },
      import: {
        summary: 'Open the disputes in a file and publish the lists',
        load: () => import('./dispute/import.ts'),
      },
    },
  },
  auction: {
    summary: 'Names put up for auction',
    example: 'auction start kohv.ee õun.ee',
    verbs: {
      start: {
        summary: 'Put names up for auction, all or none, and publish the list',
        load: () => import('./auction/start.ts'),
      },
      list: {
        summary: 'List the auctions, or those with one status',
        load: () => import('./auction/list.ts'),
      },
      show: {
        summary: 'Show an auction, with its registration code while it is paid',
        load: () => import('./auction/show.ts'),
      },
      import: {
        summary: 'Put the names in a file up for auction and publish the list',
        load: () => import('./auction/import.ts'),
      },
      cancel: {
        summary: 'Cancel an auction in progress and publish the list',
        load: () => import('./auction/cancel.ts'),
      },
      register: {
        summary: 'End a paid auction: the holder of its registration code has registered the name',
        load: () => import('./auction/register.ts'),
      },
    },
  },
  token: {
    summary: "Registrants' tokens, for support and testing",
    example: 'token issue --ident EE38001085718 --name "Jaan Tamm"',
    verbs: {
      issue: {
        summary: "Issue a registrant's token, valid for two hours",
        load: () => import('./token/issue.ts'),
      },
    },
  },
  lists: {
    summary: 'The public lists',
    example: 'lists status',
    verbs: {
      publish: {
        summary: 'Publish every list that is behind its source',
        load: () => import('./lists/publish.ts'),
      },
      status: {
        summary: 'Show the size, ETag and age of each list, and whether it is behind its source',
        load: () => import('./lists/status.ts'),
      },
    },
  },
  health: {
    summary: 'Show whether anything needs attention: the lists, the cron, the size of the database',
    load: () => import('./health.ts'),
  },
  report: {
    summary: 'Figures for a month',
    example: 'report month',
    verbs: {
      month: {
        summary: 'Count contacts, changes, auctions and names',
        load: () => import('./report/month.ts'),
      },
    },
  },
  backup: {
    summary: 'Write the whole database to one file',
    load: () => import('./backup/backup.ts'),
  },
  restore: {
    summary: 'Copy a backup into an empty database and publish the lists',
    load: () => import('./backup/restore.ts'),
  },
  shell: {
    summary: 'Run commands from standard input, one per line, in one process',
    load: () => import('./shell.ts'),
  },
  completion: {
    summary: 'Print a script that completes commands and options in a shell',
    load: () => import('./completion.ts'),
  },
  history: {
    summary: 'Who changed what and when, deleted things included',
    example: 'history contact ALPHA:1B7A3C5D',
    unnamedVerb: 'show',
    verbs: {
      show: {
        summary: 'Show what happened; the word show may be left out',
        load: () => import('./history/show.ts'),
      },
      archive: {
        summary: 'Move the entries from before a day to a file',
        load: () => import('./history/archive.ts'),
      },
    },
  },
};

export function isNoun(entry: Noun | CommandEntry): entry is Noun {
  return 'verbs' in entry;
}
