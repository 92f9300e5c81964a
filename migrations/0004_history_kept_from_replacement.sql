-- INSERT OR REPLACE takes the old row away without asking a delete trigger. An id that is not given is -1 here.
CREATE TRIGGER history_kept_from_replacement BEFORE INSERT ON history
  WHEN NEW.id > 0 AND EXISTS (SELECT 1 FROM history WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'history is append-only');
END;
