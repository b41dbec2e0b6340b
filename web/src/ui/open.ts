/** Goes to addresses of the console without reloading the page. */
import { type MouseEvent, createContext, useContext } from 'react';
import { under } from '../base';

export type Open = (href: string) => void;

/** An address of the console, in the form that links and the browser use. */
export function address(path: string, params: Record<string, string> = {}): string {
  const text = new URLSearchParams(params).toString();
  return under(text === '' ? path : `${path}?${text}`);
}

/** The frame provides this function, as pages do not know the router. */
export const OpenContext = createContext<Open>((href) => window.location.assign(href));

export function useOpen(): Open {
  return useContext(OpenContext);
}

/**
 * A plain click on a link to the console stays within it; all other clicks are left to the browser.
 */
export function follow(event: MouseEvent, open: Open): void {
  const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const href = link?.getAttribute('href');
  if (!isPlain || event.button !== 0 || event.defaultPrevented) return;
  if (href?.startsWith('/') !== true || link?.hasAttribute('download') === true) return;
  event.preventDefault();
  open(href);
}
