import { sentence } from '../base/text/sentence.ts';
import { findOldestLook, listLooks } from '../contact/operator/looks.ts';
import { looksAt, Part, pageHref, Sentences, type ShowPage } from './page.tsx';

type Listed = Awaited<ReturnType<typeof listLooks>>;

const doors =
  'Only the deployed desk keeps looks, also at pages of searches, requests and registrars that show the contact. ' +
  'The desk and the tool on a machine of the operator keep none, nor do the interfaces, and a domain name’s page counts as a look at the name alone.';

const maximumLooks = 1_000;

/** The page of all looks at a contact, by its UUID. */
export const looksPage: ShowPage = async ({ registry: { db }, key }) => {
  const uuid = key.toLowerCase();
  const [looks, oldest] = await Promise.all([
    listLooks(db, [uuid], maximumLooks),
    findOldestLook(db),
  ]);
  const all = looks.length < maximumLooks ? 'All' : `The newest ${maximumLooks}`;
  return {
    shows: looksAt([{ uuid }]),
    title: [`${all} looks at the contact `, { kind: 'contact', key: uuid, uuid }],
    children: <Looks looks={looks} oldest={oldest} />,
    next: [['contact', 'looks', uuid]],
  };
};

/** With a UUID, there is a page of more looks. */
export function Looks(props: { looks: Listed; oldest: string | null; uuid?: string }) {
  const { looks, oldest, uuid } = props;
  const since =
    oldest === null
      ? ['No look at anything is kept.']
      : sentence`The oldest look that is kept, at anything, is of ${{ instant: oldest }}.`;
  const none =
    oldest === null
      ? 'Nobody, as far as looks are kept.'
      : sentence`Nobody since ${{ instant: oldest }}, as far as looks are kept.`;
  const rows = looks.map(
    ({ lookedBy, lookedAt: instant }) => sentence`${lookedBy}, ${{ instant }}`,
  );
  return (
    <Part title="Who looked">
      <Sentences all={rows.length > 0 ? rows : [[none].flat()]} />
      {uuid && rows.length > 0 && (
        <p>
          <a href={pageHref('looks', uuid)}>All looks at this contact</a>
        </p>
      )}
      <div class="quiet">
        <Sentences all={[...(rows.length > 0 ? [since] : []), [doors]]} />
      </div>
    </Part>
  );
}
