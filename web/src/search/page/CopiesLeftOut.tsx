/** Shows how many copies are left out of an answer, and offers to count them. */
import { Tooltip } from '@mantine/core';
import type { QueryEdit } from '../../api/model';
import { formatCount } from '../../ui/number';
import classes from './CopiesLeftOut.module.css';

type Props = {
  /** The number of copies; null or undefined if it is not known. */
  copies: number | null | undefined;
  onShow: () => void;
};

export function CopiesLeftOut({ copies, onShow }: Props) {
  if (copies === null || copies === undefined || copies === 0) return null;
  return (
    <Tooltip
      label="Messages that routes stored in several logspaces count once. Click to count each copy."
      multiline
      maw={320}
    >
      <button type="button" className={classes.copies} onClick={onShow}>
        {copiesText(copies)}
      </button>
    </Tooltip>
  );
}

/** Counts copies as well. */
export const withCopies: QueryEdit = { op: 'add', text: 'copies:all' };

/**
 * Copies: messages that routes stored in several logspaces count once, but can be counted in each
 * of them.
 */
export function copiesText(copies: number): string {
  return copies === 1 ? '1 copy left out' : `${formatCount(copies)} copies left out`;
}
