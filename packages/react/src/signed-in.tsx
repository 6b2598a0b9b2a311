'use client';
import type { ReactNode } from 'react';
import { useAuth } from './use-auth.js';

interface Props {
  children?: ReactNode;
}

/** Renders its children while a customer is signed in. */
export const SignedIn = ({ children }: Props) => (useAuth().status === 'signed_in' ? children : null);

/** Renders its children while no customer is signed in. */
export const SignedOut = ({ children }: Props) => (useAuth().status === 'signed_out' ? children : null);

/** Renders its children while the session is loading. */
export const Loading = ({ children }: Props) => (useAuth().status === 'loading' ? children : null);
