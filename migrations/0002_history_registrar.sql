ALTER TABLE `history` ADD `registrar` text;--> statement-breakpoint
CREATE INDEX `history_of_contact` ON `history` (`subject_uuid`) WHERE subject = 'contact' and action <> 'update';