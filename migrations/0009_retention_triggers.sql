-- History may be archived, and lose personal values, under a permit; and contacts say since when no domain refers to them.

DROP TRIGGER history_kept_from_delete;
--> statement-breakpoint
CREATE TRIGGER history_kept_from_delete BEFORE DELETE ON history WHEN NOT EXISTS (
  SELECT 1 FROM history_permits WHERE permission = 'archive' AND OLD.id BETWEEN first_id AND last_id
) BEGIN
  SELECT RAISE(ABORT, 'history is append-only');
END;
--> statement-breakpoint
DROP TRIGGER history_kept_from_update;
--> statement-breakpoint
-- All that may differ is that values of a contact's fields have become {"removed":true}.
CREATE TRIGGER history_kept_from_update BEFORE UPDATE ON history WHEN NOT (
  EXISTS (SELECT 1 FROM history_permits WHERE permission = 'remove_values' AND OLD.id BETWEEN first_id AND last_id)
  AND OLD.subject = 'contact'
  AND NEW.id IS OLD.id
  AND NEW.occurred_at IS OLD.occurred_at
  AND NEW.subject IS OLD.subject
  AND NEW.subject_key IS OLD.subject_key
  AND NEW.subject_uuid IS OLD.subject_uuid
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
--> statement-breakpoint
DROP TRIGGER domain_contacts_uncounted;
--> statement-breakpoint
CREATE TRIGGER domain_contacts_uncounted AFTER DELETE ON domain_contacts BEGIN
  UPDATE contacts SET
    unlinked_at = iif(domain_count = 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), unlinked_at),
    domain_count = domain_count - 1
  WHERE id = OLD.contact_id;
END;
--> statement-breakpoint
-- When the last reference to these went is not known: their time begins now.
UPDATE contacts SET unlinked_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE domain_count = 0;
