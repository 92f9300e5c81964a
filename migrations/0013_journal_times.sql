-- The journals say when a name changed, and in which status, so that it can be told since when a list is behind.
DROP TRIGGER list_sources_auction_inserted;
--> statement-breakpoint
DROP TRIGGER list_sources_auction_updated;
--> statement-breakpoint
DROP TRIGGER list_sources_auction_deleted;
--> statement-breakpoint
DROP TRIGGER list_sources_retained_inserted;
--> statement-breakpoint
DROP TRIGGER list_sources_retained_updated;
--> statement-breakpoint
DROP TRIGGER list_sources_retained_deleted;
--> statement-breakpoint
DROP TRIGGER list_sources_dispute_inserted;
--> statement-breakpoint
DROP TRIGGER list_sources_dispute_updated;
--> statement-breakpoint
DROP TRIGGER list_sources_dispute_deleted;
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
CREATE TRIGGER list_sources_retained_updated AFTER UPDATE ON retained_domains BEGIN
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
