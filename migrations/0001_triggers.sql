-- What Drizzle's schema cannot say: counters, source versions of the public lists, append-only history.

CREATE TRIGGER contacts_counted AFTER INSERT ON contacts BEGIN
  UPDATE registrars SET contact_count = contact_count + 1 WHERE id = NEW.registrar_id;
  INSERT INTO contact_blocks (registrar_id, block, count) VALUES (NEW.registrar_id, NEW.number >> 10, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
--> statement-breakpoint
CREATE TRIGGER contacts_uncounted AFTER DELETE ON contacts BEGIN
  UPDATE registrars SET contact_count = contact_count - 1 WHERE id = OLD.registrar_id;
  UPDATE contact_blocks SET count = count - 1
    WHERE registrar_id = OLD.registrar_id AND block = OLD.number >> 10;
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
  UPDATE contacts SET domain_count = domain_count - 1 WHERE id = OLD.contact_id;
END;
--> statement-breakpoint
CREATE TRIGGER domain_contacts_fixed BEFORE UPDATE ON domain_contacts BEGIN
  SELECT RAISE(ABORT, 'a domain''s contact is replaced, not updated');
END;
--> statement-breakpoint
INSERT INTO list_sources (id) VALUES (1);
--> statement-breakpoint
CREATE TRIGGER list_sources_auction_inserted AFTER INSERT ON auctions WHEN NEW.status = 'started' BEGIN
  UPDATE list_sources SET auctions = auctions + 1;
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_auction_updated AFTER UPDATE ON auctions
  WHEN OLD.status = 'started' OR NEW.status = 'started' BEGIN
  UPDATE list_sources SET auctions = auctions + 1;
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_auction_deleted AFTER DELETE ON auctions WHEN OLD.status = 'started' BEGIN
  UPDATE list_sources SET auctions = auctions + 1;
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_retained_inserted AFTER INSERT ON retained_domains BEGIN
  UPDATE list_sources SET reserved = reserved + (NEW.status = 'reserved'), blocked = blocked + (NEW.status = 'blocked');
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_retained_updated AFTER UPDATE ON retained_domains BEGIN
  UPDATE list_sources SET reserved = reserved + 1, blocked = blocked + 1;
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_retained_deleted AFTER DELETE ON retained_domains BEGIN
  UPDATE list_sources SET reserved = reserved + (OLD.status = 'reserved'), blocked = blocked + (OLD.status = 'blocked');
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_dispute_inserted AFTER INSERT ON disputes BEGIN
  UPDATE list_sources SET disputed = disputed + 1;
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_dispute_updated AFTER UPDATE ON disputes BEGIN
  UPDATE list_sources SET disputed = disputed + 1;
END;
--> statement-breakpoint
CREATE TRIGGER list_sources_dispute_deleted AFTER DELETE ON disputes BEGIN
  UPDATE list_sources SET disputed = disputed + 1;
END;
--> statement-breakpoint
CREATE TRIGGER history_kept_from_update BEFORE UPDATE ON history BEGIN
  SELECT RAISE(ABORT, 'history is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER history_kept_from_delete BEFORE DELETE ON history BEGIN
  SELECT RAISE(ABORT, 'history is append-only');
END;
