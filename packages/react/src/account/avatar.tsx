'use client';
import type { CustomerSummary } from '@gatehouse/js';
import { useState } from 'react';

/** Returns a customer's name, or null. */
export const fullName = ({ firstName, lastName }: CustomerSummary): string | null =>
  [firstName, lastName].filter(Boolean).join(' ') || null;

/** Returns the customer's initials, or the first letter of the email address. */
function initials({ firstName, lastName, email }: CustomerSummary): string {
  const letters = [firstName, lastName].map((name) => [...(name ?? '')][0] ?? '').join('');
  return (letters || email.slice(0, 1)).toUpperCase();
}

/** A customer's image. Shows the initials if there is no image, or if it cannot be loaded. */
export function Avatar({ customer, imageUrl }: { customer: CustomerSummary; imageUrl?: string | null }) {
  const [failedUrl, setFailedUrl] = useState<string>();
  const hasImage = imageUrl && imageUrl !== failedUrl;
  return (
    // Uses an attribute, because text content would have to be part of the button's accessible name.
    <span className="gh-avatar" data-initials={hasImage ? undefined : initials(customer)}>
      {hasImage ? (
        <img src={imageUrl} alt="" referrerPolicy="no-referrer" onError={() => setFailedUrl(imageUrl)} />
      ) : null}
    </span>
  );
}
