/** A panel beside the tables: its head, what it says, and its buttons, which stay in sight. */
import { ActionIcon } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Panel.module.css';

type Props = {
  title: string;
  about?: ReactNode;
  /** Before the title. */
  mark?: ReactNode;
  /** Beside the way out. */
  menu?: ReactNode;
  foot?: ReactNode;
  onSubmit?: () => void;
  onClose: () => void;
  children: ReactNode;
};

export function PanelFrame(props: Props) {
  const { title, about, mark, menu, foot, onSubmit, onClose, children } = props;
  return (
    <form
      className="stack minHeight0 fullHeight"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit?.();
      }}
    >
      <div className={classes.head}>
        {mark}
        <div className={classes.title}>
          <h2 id="panel-title" tabIndex={-1}>
            {title}
          </h2>
          {about !== undefined && <p className="dimmed">{about}</p>}
        </div>
        {menu}
        <ActionIcon aria-label="Close" onClick={onClose}>
          <IconX size={18} />
        </ActionIcon>
      </div>
      <div className={classes.body}>{children}</div>
      {foot !== undefined && <div className={classes.foot}>{foot}</div>}
    </form>
  );
}
