/** Asks the user to sign in. It stands in for the requested page, so the address stays what it was. */
import type { Session } from '../api/model';
import { AuthFrame } from './AuthFrame';
import { SignInForm } from './SignInForm';

type Props = { version: string; onSignedIn: (session: Session) => void };

export function LoginPage({ version, onSignedIn }: Props) {
  return (
    <AuthFrame title="Sign in" version={version}>
      <SignInForm onSignedIn={onSignedIn} />
    </AuthFrame>
  );
}
