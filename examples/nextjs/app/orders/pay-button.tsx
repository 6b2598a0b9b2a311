'use client';
import { useState } from 'react';

export function PayButton() {
  const [result, setResult] = useState('');
  const pay = async () => setResult(await (await fetch('/api/pay', { method: 'POST' })).text());
  return (
    <p>
      <button onClick={() => void pay()}>Pay</button> <output>{result}</output>
    </p>
  );
}
