import type { Child } from 'hono/jsx';
import { listNames, listPaths, publicLists, retainedList } from '../../../list/lists.ts';
import type { Surroundings } from './layout.tsx';
import { Section } from './section.tsx';

export function DevelopersSection({ text, origin }: Surroundings) {
  const { path } = publicLists[retainedList];
  const beside = [
    text.developersLead,
    <a href="/docs/">{text.reference}</a>,
    <a href="/docs/guide">{text.guide}</a>,
    <a href="/openapi.json">{text.openapi}</a>,
  ];
  return (
    <Section name="developers" text={text} beside={beside}>
      <table class="addresses">
        <thead>
          <tr>
            <th scope="col">{text.address}</th>
            <th scope="col">{text.content}</th>
          </tr>
        </thead>
        <tbody>
          {listNames.map((list) => {
            const { path, type } = publicLists[list];
            const address = type === undefined ? path : `${path}?type=${type}`;
            return <Address address={<a href={address}>{address}</a>} content={text.lists[list]} />;
          })}
          <Address address={`${path}/{name}`} content={text.oneName} />
          <Address address={`${path}/{name}/history`} content={text.nameHistory} />
          {listPaths.map((path) => (
            <>
              <Address address={`${path}/changes?since={etag}`} content={text.changes} />
              <Address address={`${path}?as_of={day}`} content={text.pastDay} />
            </>
          ))}
        </tbody>
      </table>
      <p>{text.tryIt}</p>
      <div class="copyable">
        <pre>
          <code id="curl">{`curl --compressed '${origin}${path}?type=disputed'`}</code>
        </pre>
        <button
          type="button"
          hidden
          aria-live="polite"
          data-copies="curl"
          data-copied={text.copied}
        >
          {text.copy}
        </button>
      </div>
    </Section>
  );
}

function Address({ address, content }: { address: Child; content: string }) {
  return (
    <tr>
      <td>
        <code>{address}</code>
      </td>
      <td>{content}</td>
    </tr>
  );
}
