import { asciiUpperCase } from '../../base/text/ascii-case.ts';
import { getDisclosure } from '../../contact/operator/disclosure/read.ts';
import { findDomainName } from '../../name/domain/operator/name.ts';
import { getRegistrar } from '../../party/registrar/account.ts';
import { listApiUsers } from '../../party/registrar/operator/api-user.ts';
import { listDeliveries } from '../../party/webhook/operator/list.ts';
import { apiUsersView } from '../nouns/api-user.ts';
import { auctionsView } from '../nouns/auction.ts';
import { disclosuresView, withAnswerBy } from '../nouns/disclosure.ts';
import { disputesView } from '../nouns/dispute.ts';
import { domainsView } from '../nouns/domain/index.ts';
import { intervalsView, readNameFacts } from '../nouns/name.ts';
import { registrarsView } from '../nouns/registrar.ts';
import { deliveriesView } from '../nouns/registrar-webhook.ts';
import { retainedView } from '../nouns/retained/index.ts';
import { Entries, entriesAbout } from './history.tsx';
import { Fields, Part, Rows, type ShowPage } from './page.tsx';

const linksOfDomain = {
  registrar: 'registrar',
  registrant: 'contact',
  admin: 'contact',
  tech: 'contact',
} as const;

export const namePage: ShowPage = async ({ registry, key }) => {
  const { name, punycode } = await findDomainName(registry.db, key);
  const facts = await readNameFacts(registry, { name, punycode });
  return {
    title: name,
    next: [
      ...(facts.registered.length > 0 ? [['domain', 'update', name, '--help']] : []),
      ...(facts.retained.length > 0 ? [['retained', 'show', name]] : []),
      ...(facts.disputes.length > 0 ? [['dispute', 'show', name]] : []),
      ...(facts.auctions.length > 0 ? [['auction', 'show', name]] : []),
      ['name', name],
    ],
    children: (
      <>
        <p class="lead">{facts.sentence}</p>
        <Rows view={domainsView} rows={facts.registered} links={linksOfDomain} />
        <Rows view={retainedView} name="reservations_and_blocks" rows={facts.retained} />
        <Rows view={disputesView} rows={facts.disputes} />
        <Rows view={auctionsView} rows={facts.auctions} />
        <Rows view={intervalsView} rows={facts.intervals} />
        <Entries entries={facts.entries} />
      </>
    ),
  };
};

export const registrarPage: ShowPage = async ({ registry: { db }, key }) => {
  const code = asciiUpperCase(key);
  const registrar = await getRegistrar(db, code);
  const users = await listApiUsers(db, code);
  const deliveries = await listDeliveries(db, { registrar: code, limit: 10 });
  return {
    title: `${registrar.name} (${code})`,
    next: [
      ['registrar', 'diagnose', code],
      ['contact', 'list', '--registrar', code],
      ['domain', 'list', '--registrar', code],
      ['registrar', 'update', code, '--help'],
    ],
    children: (
      <>
        <Fields columns={registrarsView.columns} row={registrar} />
        <Part title="Who logs in for it">
          <Rows view={apiUsersView} rows={users} />
        </Part>
        <Part title="Its webhook">
          <Rows view={deliveriesView} rows={deliveries} />
        </Part>
        <Entries entries={await entriesAbout(db, 'registrar', code)} />
      </>
    ),
  };
};

export const disclosurePage: ShowPage = async ({ registry: { db, env }, key }) => {
  const { disclosure } = await getDisclosure(db, Number(key) || 0);
  const answers = [
    ['disclosure', 'grant', key, '--to', 'file.json'],
    ['disclosure', 'refuse', key, '--reason', '…'],
    ['disclosure', 'return', key, '--missing', '…'],
  ];
  const shown = withAnswerBy(env)(disclosure);
  return {
    title: `Disclosure ${key}`,
    next: disclosure.outcome === null ? answers : [],
    children: (
      <>
        <Fields columns={disclosuresView.columns} row={shown} links={{ contact: 'contact' }} />
        <Entries entries={await entriesAbout(db, 'disclosure', key)} />
      </>
    ),
  };
};
