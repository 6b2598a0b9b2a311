'use client';
import type { ComponentProps } from 'react';

export interface ButtonProps extends ComponentProps<'button'> {
  variant?: 'primary' | 'secondary' | 'danger' | 'link';
  /** True while the button's action is running. The button then keeps focus but ignores clicks. */
  isBusy?: boolean;
}

export const Button = ({ variant = 'secondary', isBusy = false, onClick, ...props }: ButtonProps) => (
  <button
    type="button"
    className={`gh-button gh-${variant}`}
    aria-disabled={isBusy || undefined}
    aria-busy={isBusy || undefined}
    onClick={(event) => (isBusy ? event.preventDefault() : onClick?.(event))}
    {...props}
  />
);
