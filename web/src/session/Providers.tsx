/** Other places to sign in with: links, because the browser leaves the page for them. */
import { Button, Divider } from '@mantine/core';
import type { Session } from '../api/model';
import { Notice } from '../ui/Notice';
import classes from './AuthFrame.module.css';
import { withoutRefusal } from './refusal';
import { under, withoutBase } from '../base';

export function Providers({ providers }: { providers: Session['providers'] }) {
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
          variant="default"
          size="sm"
          href={under(`/api/v1/oidc/${id}/login?to=${encodeURIComponent(page)}`)}
        >
          Sign in with {label}
        </Button>
      ))}
    </div>
  );
}
