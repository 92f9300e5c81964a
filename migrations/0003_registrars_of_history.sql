-- Who is said of the entries that are there already. Codes do not tell: they moved in with other registrars' prefixes.
DROP TRIGGER history_kept_from_update;
--> statement-breakpoint
-- A contact that exists is its registrar's. One that moved in was the registrar's with which it did so last. Only the code of
-- one that was certainly made here began with its registrar's. Of others, whose creation was archived, nobody knows.
UPDATE history SET registrar = owner.code FROM (
  SELECT uuid, coalesce(
    (SELECT registrars.code FROM contacts JOIN registrars ON registrars.id = registrar_id WHERE contacts.uuid = about.uuid),
    (SELECT coalesce(changes ->> '$.registrar.to', changes ->> '$.registrar.from') FROM history AS moved
      WHERE moved.subject = 'contact' AND moved.action <> 'update' AND moved.subject_uuid = about.uuid
        AND moved.actor_type = 'move_in'
      ORDER BY moved.id DESC LIMIT 1),
    (SELECT code FROM registrars WHERE is_made_here AND code = substr(about.key, 1, instr(about.key, ':') - 1))
  ) AS code
  FROM (
    SELECT subject_uuid AS uuid, max(subject_key) AS key,
      max(action = 'create') AND NOT max(actor_type = 'move_in') AS is_made_here
    FROM history WHERE subject = 'contact' GROUP BY subject_uuid
  ) AS about
) AS owner
WHERE subject = 'contact' AND subject_uuid = owner.uuid;
--> statement-breakpoint
-- A domain is the registrar's that its entry names, or else the one before it, the one after it, or the domain itself.
UPDATE history SET registrar = coalesce(
  changes ->> '$.registrar.to',
  changes ->> '$.registrar.from',
  (SELECT earlier.changes ->> '$.registrar.to' FROM history AS earlier
    WHERE earlier.subject = 'domain' AND earlier.subject_key = history.subject_key AND earlier.id < history.id
      AND earlier.changes -> '$.registrar' IS NOT NULL
    ORDER BY earlier.id DESC LIMIT 1),
  (SELECT later.changes ->> '$.registrar.from' FROM history AS later
    WHERE later.subject = 'domain' AND later.subject_key = history.subject_key AND later.id > history.id
      AND later.changes -> '$.registrar' IS NOT NULL
    ORDER BY later.id LIMIT 1),
  (SELECT code FROM registrars JOIN domains ON registrars.id = registrar_id WHERE domains.name = history.subject_key)
)
WHERE subject = 'domain';
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
