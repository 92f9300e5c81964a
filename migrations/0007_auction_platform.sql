ALTER TABLE `auctions` ADD `platform` text;--> statement-breakpoint
CREATE INDEX `auctions_name` ON `auctions` (`name`);