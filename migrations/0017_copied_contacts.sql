ALTER TABLE `contacts` ADD `copied_from` integer;--> statement-breakpoint
CREATE INDEX `contacts_copied` ON `contacts` (`registrar_id`,`copied_from`) WHERE copied_from is not null;