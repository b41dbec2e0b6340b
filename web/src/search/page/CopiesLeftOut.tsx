/** Says how many copies are left out of an answer, and makes them count. */
import { Tooltip } from '@mantine/core';
import type { QueryEdit } from '../../api/model';
import { formatCount } from '../../ui/number';
import classes from './CopiesLeftOut.module.css';

type Props = {
  /** Not known: null or undefined. */
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

/** Makes copies count. */
export const withCopies: QueryEdit = { op: 'add', text: 'copies:all' };

/** Copies: messages that routes stored in several logspaces count once, and can be asked to count in each. */
export function copiesText(copies: number): string {
  return copies === 1 ? '1 copy left out' : `${formatCount(copies)} copies left out`;
}
