/** A modal dialog: it receives the focus, keeps it, and returns it when it is closed. */
import { Modal } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Dialog.module.css';
import { IconButton } from './IconButton';

type Props = {
  opened: boolean;
  onClose: () => void;
  title: string;
  size?: 'sm' | 'md' | 'xl';
  children: ReactNode;
};

export function Dialog({ opened, onClose, title, size = 'md', children }: Props) {
  return (
    <Modal.Root opened={opened} onClose={onClose} size={size}>
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content>
        {/* Not Modal.Header: its <header> would be a second banner of the page. */}
        <div className={classes.head}>
          <Modal.Title fw={600} fz="lg">
            {title}
          </Modal.Title>
          <IconButton icon={IconX} label="Close" onClick={onClose} />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
