/** Asks the user to sign in. It replaces the requested page, so the address stays the same. */
import { Button, Divider } from '@mantine/core';
import type { Session } from '../api/model';
import { Notice } from '../ui/Notice';
import { under, withoutBase } from '../base';
import { AuthFrame } from './AuthFrame';
import { SignInForm } from './SignInForm';
import { withoutRefusal } from './refusal';
import classes from './AuthFrame.module.css';

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

/** Other ways to sign in: they are links, because the browser leaves the page for them. */
function Providers({ providers }: { providers: Session['providers'] }) {
  if (providers.length === 0) return null;
  const { refusal, page } = withoutRefusal({
    pathname: withoutBase(window.location.pathname),
    search: window.location.search,
  });
  return (
    <div className={classes.providers}>
      <Divider label="or" />
      {refusal !== null && <Notice tone="error" title={refusal} />}
      {providers.map(({ id, label }) => (
        <Button
          key={id}
          component="a"
          size="sm"
          href={under(`/api/v1/oidc/${id}/login?to=${encodeURIComponent(page)}`)}
        >
          Sign in with {label}
        </Button>
      ))}
    </div>
  );
}
