-- The statuses that are derived moved in with those that are stored.
UPDATE contacts SET
  statuses = (SELECT json_group_array(value) FROM json_each(statuses) WHERE value NOT IN ('ok', 'linked')),
  version = version + 1
WHERE statuses LIKE '%"ok"%' OR statuses LIKE '%"linked"%';
