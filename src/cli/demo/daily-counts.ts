import { daysBefore } from '../../day.ts';
import { type DailyCounts, maximumDays } from '../../public-list/daily-counts.ts';
import { blockedNames, demoAuctions, demoDisputes, reservedNames } from './names.ts';

/** How many days ago a name was reserved. */
const reservations = [340, 298, 251, 203, 160, 118, 71, 47, 12];

/** How many days ago names were blocked or freed, and how many. */
const blockings: [daysAgo: number, names: number][] = [
  [275, 6],
  [182, 5],
  [97, -3],
  [34, 4],
];

/** How many days ago a dispute that is over began and ended. */
const pastDisputes: [began: number, ended: number][] = [
  [400, 331],
  [352, 309],
  [347, 262],
  [301, 255],
  [280, 214],
  [233, 171],
  [190, 142],
  [186, 155],
  [121, 68],
  [104, 83],
  [99, 29],
  [52, 9],
];

/** Auctions in progress, from Sunday to Saturday: they begin on Mondays, and most end before the weekend. */
const weekOfAuctions = [4, 9, 10, 9, 8, 6, 4];

/**
 * How many names the lists had on each day of the year before a day, and on the day itself as many as the demo data has:
 * the same for the same day.
 */
export function demoDailyCounts(today: string): DailyCounts[] {
  const disputed = demoDisputes.filter(([, first, last]) => first <= today && today <= last);
  const current = {
    auctions: demoAuctions.filter(({ status }) => status === 'started').length,
    reserved: reservedNames.length,
    blocked: blockedNames.length,
    disputed: disputed.length,
  };
  return Array.from({ length: maximumDays }, (_, index): DailyCounts => {
    const daysAgo = maximumDays - 1 - index;
    const day = daysBefore(today, daysAgo);
    const reservedSince = reservations.filter((at) => at < daysAgo).length;
    const blockedSince = blockings.reduce(
      (total, [at, names]) => (at < daysAgo ? total + names : total),
      0,
    );
    const over = pastDisputes.filter(([began, ended]) => began >= daysAgo && daysAgo > ended);
    return {
      day,
      counts: {
        auctions: daysAgo === 0 ? current.auctions : auctionsOn(day, daysAgo),
        reserved: current.reserved - reservedSince,
        blocked: current.blocked - blockedSince,
        disputed: current.disputed + over.length,
      },
    };
  });
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The week's rhythm on a wave with its trough half a year ago; two weeks that follow each other differ. */
function auctionsOn(day: string, daysAgo: number): number {
  const instant = new Date(day);
  // The epoch was a Thursday.
  const week = Math.floor((instant.getTime() / dayMilliseconds + 3) / 7);
  const wave = Math.round(2 * Math.cos((2 * Math.PI * daysAgo) / maximumDays));
  return weekOfAuctions[instant.getUTCDay()]! + wave + (week % 3) - 1;
}
