/**
 * Shown over a page whose session has ended: the page is kept, and continues after the user has
 * signed in.
 */
import { Modal } from '@mantine/core';
import type { Session } from '../api/model';
import { SignInForm } from './SignInForm';
import classes from './AuthFrame.module.css';

type Props = { opened: boolean; name: string; onSignedIn: (session: Session) => void };

export function SessionEnded({ opened, name, onSignedIn }: Props) {
  return (
    <Modal.Root
      opened={opened}
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      size={384}
      zIndex={500}
    >
      <Modal.Overlay backgroundOpacity={0.5} />
      <Modal.Content>
        <div className="pad24">
          <Modal.Title className="marginBottom12 text16 line24 bold">
            Your session has ended
          </Modal.Title>
          <p className={classes.hint}>
            Sign in again to go on. What is on this page, and what you wrote in it, is still here;
            another user starts with a new page.
          </p>
          <SignInForm name={name} onSignedIn={onSignedIn} />
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
