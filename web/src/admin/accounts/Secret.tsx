/** A secret, the one time that it is shown. */
import { Button } from '@mantine/core';
import { Copy } from '../../ui/Copy';
import { Notice } from '../../ui/Notice';
import classes from './Panel.module.css';

type Props = { of: string; secret: string; note?: string; onDone: () => void };

export function Secret({ of, secret, note, onDone }: Props) {
  return (
    <div className={classes.secretBox}>
      <Notice tone="caution" title="Copy the secret now: it is not shown again">
        {note}
      </Notice>
      <div className={classes.secret}>
        <code className="mono" aria-label={`Secret of ${of}`}>
          {secret}
        </code>
        <Copy what="secret" text={secret} />
      </div>
      <p className="dimmed">
        Programs send it as <code className="mono">Authorization: Bearer SECRET</code>
      </p>
      <div>
        <Button data-autofocus onClick={onDone}>
          I have copied it
        </Button>
      </div>
    </div>
  );
}
