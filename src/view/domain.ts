import type { ListedDomain } from '../name/domain/operator/list.ts';
import { plain, type Shown } from './columns.ts';

export const domainsView: Shown<ListedDomain> = {
  name: 'domains',
  columns: {
    ...{ name: 'name', punycode_name: 'punycode' },
    ...plain('registrar', 'registrant', 'admin', 'tech'),
  },
  table: 'name registrar registrant admin tech',
};
