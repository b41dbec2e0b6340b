/** A small button that copies a text and confirms it. */
import { CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import classes from './Command.module.css';
import { IconButton } from './IconButton';

export function Copy({ what, text }: { what: string; text: string }) {
  return (
    <CopyButton value={text} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
          <IconButton
            icon={copied ? IconCheck : IconCopy}
            onClick={copy}
            label={copied ? 'Copied' : `Copy ${what}`}
          />
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A command to copy into a terminal. */
export function Command({ label, text }: { label: string; text: string }) {
  return (
    <div className={classes.command}>
      <code
        className="padY4 grow minWidth0 scrollX pre mono line20"
        tabIndex={0}
        role="textbox"
        aria-readonly
        aria-label={label}
      >
        {text}
      </code>
      <Copy what={label} text={text} />
    </div>
  );
}
