/** Says how many copies are left out of an answer, and makes them count. */
import { Tooltip } from '@mantine/core';
import { copiesText } from './copies';
import classes from './LeftOut.module.css';

type Props = {
  /** Not known: null or undefined. */
  copies: number | null | undefined;
  onShow: () => void;
};

export function LeftOut({ copies, onShow }: Props) {
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
