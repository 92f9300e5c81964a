-- The words of each contact's name, from each of the first twenty on to the end and then from the beginning. `wordsOf`
-- (src/contact/operator/words.ts) divides the words of a search at the same signs. group_concat has no order of its own,
-- because SQLite before 3.44 could not open the database then.
CREATE TRIGGER contacts_named AFTER INSERT ON contacts BEGIN
  DELETE FROM former_contacts WHERE uuid = NEW.uuid;
  INSERT OR IGNORE INTO contact_names (contact_id, words)
  SELECT NEW.id, substr((SELECT group_concat(value, ' ') FROM (
    SELECT value FROM json_each(list) WHERE value <> '' ORDER BY key < word.key, key
  )) || ' ', 1, 60)
  FROM (SELECT '[' || replace(json_quote(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(NEW.name_key, '-', ' '), '''', ' '), '"', ' '), '.', ' '), ',', ' '), '(', ' '), ')', ' '), '&', ' '), '/', ' ')
  ), ' ', '","') || ']' AS list) AS named, json_each(list) AS word
  WHERE word.value <> '' AND word.key < 20;
END;
--> statement-breakpoint
CREATE TRIGGER contacts_renamed AFTER UPDATE OF name_key ON contacts WHEN NEW.name_key <> OLD.name_key BEGIN
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
--> statement-breakpoint
-- The words stay.
CREATE TRIGGER contacts_former AFTER DELETE ON contacts BEGIN
  INSERT INTO former_contacts (id, uuid, name_key) VALUES (OLD.id, OLD.uuid, OLD.name_key);
END;
--> statement-breakpoint
CREATE TRIGGER former_contacts_forgotten AFTER UPDATE ON history
  WHEN NEW.subject = 'contact' AND NEW.action = 'delete' AND NEW.changes -> '$.name.removed' IS NOT NULL BEGIN
  DELETE FROM former_contacts WHERE uuid = NEW.subject_uuid;
END;
--> statement-breakpoint
CREATE TRIGGER former_contacts_unnamed AFTER DELETE ON former_contacts BEGIN
  DELETE FROM contact_names WHERE (contact_id, words) IN (
  SELECT OLD.id, substr((SELECT group_concat(value, ' ') FROM (
    SELECT value FROM json_each(list) WHERE value <> '' ORDER BY key < word.key, key
  )) || ' ', 1, 60)
  FROM (SELECT '[' || replace(json_quote(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(OLD.name_key, '-', ' '), '''', ' '), '"', ' '), '.', ' '), ',', ' '), '(', ' '), ')', ' '), '&', ' '), '/', ' ')
  ), ' ', '","') || ']' AS list) AS named, json_each(list) AS word
  WHERE word.value <> '' AND word.key < 20
  );
END;
--> statement-breakpoint
-- Names in the history have no key. Of other letters than these, the accents stay.
INSERT INTO former_contacts (id, uuid, name_key)
SELECT -max(id), subject_uuid, upper(
  replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(name, 'õ', 'O'), 'ä', 'A'), 'ö', 'O'), 'ü', 'U'), 'š', 'S'), 'ž', 'Z'), 'Õ', 'O'), 'Ä', 'A'), 'Ö', 'O'), 'Ü', 'U'), 'Š', 'S'), 'Ž', 'Z')
)
FROM (SELECT id, subject_uuid, changes ->> '$.name.from' AS name FROM history
  WHERE subject = 'contact' AND action = 'delete' AND subject_uuid IS NOT NULL)
WHERE name IS NOT NULL AND NOT EXISTS (SELECT 1 FROM contacts WHERE uuid = subject_uuid)
GROUP BY subject_uuid;
--> statement-breakpoint
INSERT OR IGNORE INTO contact_names (contact_id, words)
  SELECT named.id, substr((SELECT group_concat(value, ' ') FROM (
    SELECT value FROM json_each(list) WHERE value <> '' ORDER BY key < word.key, key
  )) || ' ', 1, 60)
  FROM (SELECT id, '[' || replace(json_quote(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(name_key, '-', ' '), '''', ' '), '"', ' '), '.', ' '), ',', ' '), '(', ' '), ')', ' '), '&', ' '), '/', ' ')
  ), ' ', '","') || ']' AS list FROM former_contacts) AS named, json_each(list) AS word
  WHERE word.value <> '' AND word.key < 20;
