-- As of a contact (migration 0027).
CREATE TRIGGER former_contacts_renamed AFTER UPDATE OF name_key ON former_contacts WHEN NEW.name_key <> OLD.name_key BEGIN
  DELETE FROM contact_names WHERE (contact_id, words) IN (
  SELECT OLD.id, substr((SELECT group_concat(value, ' ') FROM (
    SELECT value FROM json_each(list) WHERE value <> '' ORDER BY key < word.key, key
  )) || ' ', 1, 60)
  FROM (SELECT '[' || replace(json_quote(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(OLD.name_key, '-', ' '), '''', ' '), '"', ' '), '.', ' '), ',', ' '), '(', ' '), ')', ' '), '&', ' '), '/', ' ')
  ), ' ', '","') || ']' AS list) AS named, json_each(list) AS word
  WHERE word.value <> '' AND word.key < 20
  );
  INSERT OR IGNORE INTO contact_names (contact_id, words)
  SELECT NEW.id, substr((SELECT group_concat(value, ' ') FROM (
    SELECT value FROM json_each(list) WHERE value <> '' ORDER BY key < word.key, key
  )) || ' ', 1, 60)
  FROM (SELECT '[' || replace(json_quote(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(NEW.name_key, '-', ' '), '''', ' '), '"', ' '), '.', ' '), ',', ' '), '(', ' '), ')', ' '), '&', ' '), '/', ' ')
  ), ' ', '","') || ']' AS list) AS named, json_each(list) AS word
  WHERE word.value <> '' AND word.key < 20;
END;
