-- Rules that Drizzle's schema cannot express: counters, versions and journals of the public lists, append-only history.

CREATE TRIGGER contacts_counted AFTER INSERT ON contacts BEGIN
  UPDATE registrars SET contact_count = contact_count + 1 WHERE id = NEW.registrar_id;
  INSERT INTO contact_blocks (registrar_id, block, count) VALUES (NEW.registrar_id, NEW.number >> 10, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
--> statement-breakpoint
CREATE TRIGGER contacts_uncounted AFTER DELETE ON contacts BEGIN
  UPDATE registrars SET contact_count = contact_count - 1, lost_change_at = max(ifnull(lost_change_at, ''), OLD.updated_at)
    WHERE id = OLD.registrar_id;
  UPDATE contact_blocks SET count = count - 1
    WHERE registrar_id = OLD.registrar_id AND block = OLD.number >> 10;
END;
--> statement-breakpoint
CREATE TRIGGER contacts_set_back AFTER UPDATE OF updated_at ON contacts WHEN NEW.updated_at < OLD.updated_at BEGIN
  UPDATE registrars SET lost_change_at = max(ifnull(lost_change_at, ''), OLD.updated_at) WHERE id = OLD.registrar_id;
END;
--> statement-breakpoint
CREATE TRIGGER contacts_keep_place BEFORE UPDATE OF id, uuid, registrar_id, number, code ON contacts BEGIN
  SELECT RAISE(ABORT, 'a contact keeps its identifiers and its registrar');
END;
--> statement-breakpoint
CREATE TRIGGER domain_contacts_counted AFTER INSERT ON domain_contacts BEGIN
  UPDATE contacts SET domain_count = domain_count + 1 WHERE id = NEW.contact_id;
END;
--> statement-breakpoint
CREATE TRIGGER domain_contacts_uncounted AFTER DELETE ON domain_contacts BEGIN
  UPDATE contacts SET
    unlinked_at = iif(domain_count = 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), unlinked_at),
    domain_count = domain_count - 1
  WHERE id = OLD.contact_id;
END;
--> statement-breakpoint
CREATE TRIGGER domain_contacts_fixed BEFORE UPDATE ON domain_contacts BEGIN
  SELECT RAISE(ABORT, 'a domain''s contact is replaced, not updated');
END;
--> statement-breakpoint
-- The versions are random, so that a restored database repeats none; 53 bits fit a JavaScript number.
INSERT INTO list_sources (id, auctions, reserved, blocked, disputed) VALUES (
  1, random() & 9007199254740991, random() & 9007199254740991, random() & 9007199254740991, random() & 9007199254740991
);
--> statement-breakpoint
CREATE TRIGGER list_sources_auction_inserted AFTER INSERT ON auctions WHEN NEW.status = 'started' BEGIN
  UPDATE list_sources SET auctions = random() & 9007199254740991;
  INSERT INTO auction_changes (name, at) VALUES (NEW.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_auction_updated AFTER UPDATE ON auctions
  WHEN OLD.status = 'started' OR NEW.status = 'started' BEGIN
  UPDATE list_sources SET auctions = random() & 9007199254740991;
  INSERT INTO auction_changes (name, at) VALUES (OLD.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
  INSERT INTO auction_changes (name, at) SELECT NEW.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE NEW.name <> OLD.name;
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_auction_deleted AFTER DELETE ON auctions WHEN OLD.status = 'started' BEGIN
  UPDATE list_sources SET auctions = random() & 9007199254740991;
  INSERT INTO auction_changes (name, at) VALUES (OLD.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_retained_inserted AFTER INSERT ON retained_domains BEGIN
  UPDATE list_sources SET
    reserved = iif(NEW.status = 'reserved', random() & 9007199254740991, reserved),
    blocked = iif(NEW.status = 'blocked', random() & 9007199254740991, blocked);
  INSERT INTO retained_changes (name, at, status) VALUES (NEW.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NEW.status);
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_retained_updated AFTER UPDATE OF name, punycode, status ON retained_domains BEGIN
  UPDATE list_sources SET reserved = random() & 9007199254740991, blocked = random() & 9007199254740991;
  INSERT INTO retained_changes (name, at, status) VALUES (OLD.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NULL);
  INSERT INTO retained_changes (name, at, status) SELECT NEW.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NULL WHERE NEW.name <> OLD.name;
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_retained_deleted AFTER DELETE ON retained_domains BEGIN
  UPDATE list_sources SET
    reserved = iif(OLD.status = 'reserved', random() & 9007199254740991, reserved),
    blocked = iif(OLD.status = 'blocked', random() & 9007199254740991, blocked);
  INSERT INTO retained_changes (name, at, status) VALUES (OLD.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), OLD.status);
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_dispute_inserted AFTER INSERT ON disputes BEGIN
  UPDATE list_sources SET disputed = random() & 9007199254740991;
  INSERT INTO retained_changes (name, at, status) VALUES (NEW.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'disputed');
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_dispute_updated AFTER UPDATE ON disputes BEGIN
  UPDATE list_sources SET disputed = random() & 9007199254740991;
  INSERT INTO retained_changes (name, at, status) VALUES (OLD.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'disputed');
  INSERT INTO retained_changes (name, at, status) SELECT NEW.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'disputed' WHERE NEW.name <> OLD.name;
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_dispute_deleted AFTER DELETE ON disputes BEGIN
  UPDATE list_sources SET disputed = random() & 9007199254740991;
  INSERT INTO retained_changes (name, at, status) VALUES (OLD.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'disputed');
END;
--> statement-breakpoint
-- INSERT OR REPLACE deletes the old row without running a delete trigger. An id that is not given is -1 here.
CREATE TRIGGER history_kept_from_replacement BEFORE INSERT ON history
  WHEN NEW.id > 0 AND EXISTS (SELECT 1 FROM history WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'history is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER history_kept_from_delete BEFORE DELETE ON history WHEN NOT EXISTS (
  SELECT 1 FROM history_permits WHERE permission = 'archive' AND OLD.id BETWEEN first_id AND last_id
) BEGIN
  SELECT RAISE(ABORT, 'history is append-only');
END;
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
