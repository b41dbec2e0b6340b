/** Asks the user to sign in. It stands in for the requested page, so the address stays what it was. */
import type { Session } from '../api/model';
import { AuthFrame } from './AuthFrame';
import { Providers } from './Providers';
import { SignInForm } from './SignInForm';

type Props = {
  version: string;
  providers: Session['providers'];
  onSignedIn: (session: Session) => void;
};

export function LoginPage({ version, providers, onSignedIn }: Props) {
  return (
    <AuthFrame title="Sign in" version={version}>
      <SignInForm onSignedIn={onSignedIn} />
      <Providers providers={providers} />
    </AuthFrame>
  );
}
