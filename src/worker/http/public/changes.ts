import { RegistryError } from '../../../base/error.ts';
import { hasTypes, listPaths } from '../../../list/lists.ts';
import { readChanges } from '../../../list/read/changes.ts';
import { newApp } from '../request/context.ts';
import { readerOf } from '../request/public-list.ts';
import { jsonAnswer } from './answer.ts';
import { requestedList } from './requested-list.ts';

export const changesPaths = listPaths.map((path) => `${path}/changes` as const);

export const changes = newApp();

for (const path of listPaths) {
  changes.get(`${path}/changes`, async (c) => {
    c.set('knownParameters', hasTypes(path) ? ['since', 'type'] : ['since']);
    const list = requestedList(path, c.req.queries('type'));
    if (c.req.query('as_of') !== undefined) {
      throw new RegistryError('invalid', 'cannot be combined with since', 'as_of');
    }
    const read = await readChanges(list, heldTag(c.req.queries('since')), readerOf(c));
    if (!read) {
      throw new RegistryError('gone', 'is no longer available; fetch the whole list', 'since');
    }
    const { since, current, difference } = read;
    const [added, removed] = [difference.added.join(','), difference.removed.join(',')];
    const tags = `"since":${JSON.stringify(since)},"current":${JSON.stringify(current)}`;
    const json = `{${tags},"added":[${added}],"removed":[${removed}]}`;
    return jsonAnswer(c.req.raw, c.env, [list], current, json);
  });
}

/** `W/` and the quotes may be left out. */
function heldTag([since, second]: readonly string[] = []): string {
  if (second !== undefined) throw new RegistryError('invalid', 'is given twice', 'since');
  if (!since) throw new RegistryError('missing', 'parameter is required', 'since');
  return `W/"${since.replace(/^W\//, '').replace(/^"(.*)"$/, '$1')}"`;
}
