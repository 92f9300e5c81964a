-- The keys of Swedish and Finnish codes with a `+`, as in migration 0015: again, for contacts that the previous Worker wrote
-- after it, and now with the two letters of a country before the digits, too.
CREATE VIEW century_codes AS
  SELECT *, substr(key, 1, length(key) - 4) || '+' || substr(key, -4) AS new_key FROM (
    SELECT *, iif(key GLOB '[A-Z][A-Z]*', 2, 0) AS prefix, substr(code, instr(code, '+')) AS tail FROM (
      SELECT uuid, NULL AS entry, ident AS code, ident_key AS key FROM contacts
      UNION ALL
      SELECT subject_uuid, id, changes ->> '$.ident.from', changes ->> '$.ident.key' FROM history
        WHERE subject = 'contact' AND action = 'delete'
    ) WHERE instr(code, '+') > 0 AND code NOT LIKE '%+%+%'
  )
  WHERE length(key) - prefix IN (10, 12) AND key GLOB '*[0-9A-Z]'
    AND substr(key, prefix + 1, length(key) - prefix - 1) NOT GLOB '*[^0-9]*'
    AND substr(code, 1, instr(code, '+'))
      GLOB replace(substr('dddddddd', 1, length(key) - prefix - 4), 'd', '*[0-9]') || '*'
    AND tail GLOB '*[0-9]*[0-9]*[0-9]*[0-9A-Za-z]*';
--> statement-breakpoint
UPDATE disclosures SET ident_key = new_key FROM century_codes WHERE contact_uuid = uuid AND ident_key = key;
--> statement-breakpoint
UPDATE contacts SET ident_key = new_key FROM century_codes
  WHERE entry IS NULL AND contacts.uuid = century_codes.uuid;
--> statement-breakpoint
DROP TRIGGER history_kept_from_update;
--> statement-breakpoint
UPDATE history SET changes = json_set(changes, '$.ident.key', new_key) FROM century_codes WHERE id = entry;
--> statement-breakpoint
DROP VIEW century_codes;
--> statement-breakpoint
-- The only permitted difference: values of a contact's fields have become {"removed":true}.
CREATE TRIGGER history_kept_from_update BEFORE UPDATE ON history WHEN NOT (
  EXISTS (SELECT 1 FROM history_permits WHERE permission = 'remove_values' AND OLD.id BETWEEN first_id AND last_id)
  AND OLD.subject = 'contact'
  AND NEW.id IS OLD.id
  AND NEW.occurred_at IS OLD.occurred_at
  AND NEW.subject IS OLD.subject
  AND NEW.subject_key IS OLD.subject_key
  AND NEW.subject_uuid IS OLD.subject_uuid
  AND NEW.registrar IS OLD.registrar
  AND NEW.action IS OLD.action
  AND NEW.actor_type IS OLD.actor_type
  AND NEW.actor IS OLD.actor
  AND NEW.request_id IS OLD.request_id
  AND NEW.client_reference IS OLD.client_reference
  AND (SELECT count(*) FROM json_each(NEW.changes)) = (SELECT count(*) FROM json_each(OLD.changes))
  AND NOT EXISTS (
    SELECT 1 FROM json_each(OLD.changes) AS old LEFT JOIN json_each(NEW.changes) AS new ON new.key = old.key
    WHERE new.value IS NOT old.value
      AND (new.value IS NOT '{"removed":true}' OR json_type(old.value, '$.from') IS NULL)
  )
) BEGIN
  SELECT RAISE(ABORT, 'history is append-only');
END;
