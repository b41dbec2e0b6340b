/** Replaces every page for users whose role needs a second factor and who have none yet. */
import { Button } from '@mantine/core';
import { AuthFrame } from '../AuthFrame';
import frame from '../AuthFrame.module.css';
import { Enrolment } from './Enrolment';

type Props = {
  name: string;
  role: string;
  version: string;
  onDone: () => void;
  onSignOut: () => void;
};

export function EnrolPage({ name, role, version, onDone, onSignOut }: Props) {
  return (
    <AuthFrame title="Set up a second factor" version={version}>
      <p className={frame.hint}>
        Users with the {role} role sign in with their password and a code from an authenticator app.
        Setting it up takes a minute.
      </p>
      <Enrolment name={name} onDone={onDone} />
      <Button variant="subtle" size="sm" mt={12} fullWidth onClick={onSignOut}>
        Sign out
      </Button>
    </AuthFrame>
  );
}
