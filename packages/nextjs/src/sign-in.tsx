'use client';
import {
  SignIn as SignInForm,
  SignUp as SignUpForm,
  useAuth,
  type SignInProps as SignInFormProps,
  type SignUpProps as SignUpFormProps,
} from '@gatehouse/react';
import { useEffect } from 'react';
import { safeReturnUrl } from './return-url.js';

interface ReturnProps {
  /** The path for customers who were not redirected here by `auth.protect()`. Default: `/`. */
  fallbackUrl?: string;
}

export type SignInProps = SignInFormProps & ReturnProps;
export type SignUpProps = SignUpFormProps & ReturnProps;

/** Signs customers in, and redirects them back to the page that required the sign-in. */
export function SignIn({ fallbackUrl, ...props }: SignInProps) {
  useReturn(fallbackUrl);
  return <SignInForm {...props} />;
}

/** Registers customers, and redirects them back to the page that required a sign-in. */
export function SignUp({ fallbackUrl, ...props }: SignUpProps) {
  useReturn(fallbackUrl);
  return <SignUpForm {...props} />;
}

const RETURN_URL = 'gatehouse.return-url';

/** Leaves the page as soon as a customer is signed in, or immediately if a customer is already signed in. */
function useReturn(fallbackUrl = '/'): void {
  const { status } = useAuth();
  useEffect(() => {
    const query = new URLSearchParams(location.search);
    const url = query.get('redirect_url');
    // A sign-in with an identity provider returns to this page without the parameter.
    if (url !== null) sessionStorage.setItem(RETURN_URL, url);
    else if (!query.has('code') && !query.has('error')) sessionStorage.removeItem(RETURN_URL);
  }, []);
  useEffect(() => {
    if (status !== 'signed_in') return;
    const url = sessionStorage.getItem(RETURN_URL) ?? fallbackUrl;
    sessionStorage.removeItem(RETURN_URL);
    // Does not use the router, which may have prefetched the page for a signed-out customer.
    location.replace(safeReturnUrl(url));
  }, [status, fallbackUrl]);
}
