/** A modal dialog: it receives the focus, keeps it, and returns it when it is closed. */
import { ActionIcon, Modal } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Dialog.module.css';

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
          <ActionIcon aria-label="Close" onClick={onClose}>
            <IconX size={16} />
          </ActionIcon>
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
