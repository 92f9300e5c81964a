INSERT OR IGNORE INTO contact_names (contact_id, words)
  SELECT named.id, substr((SELECT group_concat(value, ' ') FROM (
    SELECT value FROM json_each(list) WHERE value <> '' ORDER BY key < word.key, key
  )) || ' ', 1, 60)
  FROM (SELECT id, '[' || replace(json_quote(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(name_key, '-', ' '), '''', ' '), '"', ' '), '.', ' '), ',', ' '), '(', ' '), ')', ' '), '&', ' '), '/', ' ')
  ), ' ', '","') || ']' AS list FROM contacts WHERE id % 2 = 1) AS named, json_each(list) AS word
  WHERE word.value <> '' AND word.key < 20;
