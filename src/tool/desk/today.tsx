import { newMeter } from '../../base/database/meter.ts';
import { currentTime } from '../../base/time/clock.ts';
import { dayOf } from '../../base/time/day.ts';
import { listNewestEntries } from '../../change/history/operator/search.ts';
import { listContactsBy } from '../../contact/operator/administer.ts';
import { listDisclosures } from '../../contact/operator/disclosure/read.ts';
import { readDailyCounts } from '../../list/daily-counts.ts';
import { listRegistrars } from '../../party/registrar/operator/account.ts';
import { texts } from '../../worker/http/site/texts.ts';
import { YearSection } from '../../worker/http/site/year-section.tsx';
import { contactsView } from '../nouns/contact/index.ts';
import { disclosuresView, withAnswerBy } from '../nouns/disclosure.ts';
import { listStates, listStatesView, readHealthState } from '../nouns/health.ts';
import { registrarsView } from '../nouns/registrar.ts';
import { Requests } from './history.tsx';
import { Part, Rows, type ShowPage } from './page.tsx';

const shownRows = 20;
const shownEntries = 200;

export const todayPage: ShowPage = async ({ registry, options }) => {
  const { db, env } = registry;
  const overdueOn = dayOf(currentTime());
  const [state, entries, open, overdue, registrars, days] = await Promise.all([
    readHealthState(registry, options),
    listNewestEntries(db, undefined, shownEntries),
    listDisclosures(db, { onlyOpen: true }, { limit: shownRows }),
    listContactsBy(db, { overdueOn }, { limit: shownRows }),
    listRegistrars(db),
    readDailyCounts({ kv: env.LISTS, clock: currentTime, meter: newMeter() }),
  ]);
  const { alarms, findings, service } = state;
  const suspended = registrars.filter(({ suspendedAt }) => suspendedAt !== null);
  return {
    title: alarms.length === 0 ? 'Healthy' : 'Needs attention',
    next: [['health'], ['history', '--last', '20'], ['lists', 'status']],
    children: (
      <>
        <ul class="alarms">
          {alarms.map(({ alarm, message }) => (
            <li>
              <strong>{alarm.replaceAll('_', ' ')}</strong>: {message}
            </li>
          ))}
        </ul>
        <p class="lead">
          Last scheduled run: {findings.runs[0]?.startedAt ?? 'none'}. Service: {service.status}
          {service.build && `, version ${service.version}, build ${service.build}`}.
        </p>
        <Rows view={listStatesView} rows={listStates(findings)} />
        <Part title="What waits">
          <Rows
            view={disclosuresView}
            name="open_disclosures"
            rows={open.map(withAnswerBy(env))}
            links={{ id: 'disclosure', contact: 'contact' }}
          />
          <Rows
            view={contactsView}
            name="overdue_verifications"
            rows={overdue}
            links={{ code: 'contact' }}
          />
          <Rows
            view={registrarsView}
            name="suspended_registrars"
            rows={suspended}
            links={{ code: 'registrar' }}
          />
        </Part>
        <Part title="What happened lately">
          <Requests entries={entries} options={options} />
        </Part>
        <YearSection text={texts.en} days={days} />
      </>
    ),
  };
};
