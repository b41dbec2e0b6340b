/** What may stand at the cursor of an editor. */

export type Offer = {
  label: string;
  insert: string;
  /** A sentence about it. */
  detail: string;
  /** Whether there is something to offer behind it. */
  leadsOn: boolean;
};

/** `insert` takes the place of the characters from `from` to `to`. */
export type Offers = { from: number; to: number; options: readonly Offer[] };

/** Null when there is nothing to offer. */
export type OffersAt = (text: string, cursor: number) => Offers | null;
