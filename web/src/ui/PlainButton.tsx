/** A button that looks like what is in it. Cheaper than Mantine's, which counts where there are a hundred. */
import type { ComponentPropsWithRef } from 'react';
import classes from './PlainButton.module.css';

export function PlainButton({ className, ...rest }: ComponentPropsWithRef<'button'>) {
  return <button type="button" className={`${classes.plain} ${className ?? ''}`} {...rest} />;
}
