import { RegistryError } from '../../../base/error.ts';
import { findList, hasTypes, type ListName, type ListPath } from '../../../list/lists.ts';

/** Throws `invalid` for an unknown or repeated `type`. A path that serves only one list has no `type`. */
export function requestedList(path: ListPath, types: readonly string[] = []): ListName {
  const given = hasTypes(path) ? types : [];
  const list = given.length > 1 ? undefined : findList(path, given[0]);
  if (list === undefined) {
    throw new RegistryError('invalid', 'is not included in the list', 'type');
  }
  return list;
}
