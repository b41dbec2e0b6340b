/** The frame of the login and set-up pages: the logo, a title, and one narrow form. */
import type { ReactNode } from 'react';
import { Logo } from '../ui/Logo';
import classes from './AuthFrame.module.css';

type Props = { title: string; version: string; children: ReactNode };

export function AuthFrame({ title, version, children }: Props) {
  return (
    <div className={classes.frame}>
      <main className={classes.card}>
        <div className={classes.brand}>
          <Logo size={32} />
          <span>Logstead</span>
        </div>
        <h1 className="marginBottom12 text16 line24 bold">{title}</h1>
        {children}
      </main>
      <footer className="pad8 small dimmed">Logstead {version}</footer>
    </div>
  );
}
