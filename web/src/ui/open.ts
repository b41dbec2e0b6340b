/** Goes to addresses of the console without loading it again. */
import { type MouseEvent, createContext, useContext } from 'react';
import { under } from '../base';

export type Open = (href: string) => void;

/** An address of the console, as links and the browser have it. */
export function address(path: string, params: Record<string, string> = {}): string {
  const text = new URLSearchParams(params).toString();
  return under(text === '' ? path : `${path}?${text}`);
}

/** The frame provides it, as pages know no router. */
export const OpenContext = createContext<Open>((href) => window.location.assign(href));

export function useOpen(): Open {
  return useContext(OpenContext);
}

/** A plain click on a link to the console stays in it; any other is the browser's. */
export function follow(event: MouseEvent, open: Open): void {
  const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const href = link?.getAttribute('href');
  if (!isPlain || event.button !== 0 || event.defaultPrevented) return;
  if (href?.startsWith('/') !== true || link?.hasAttribute('download') === true) return;
  event.preventDefault();
  open(href);
}
