import { useEffect, useState } from 'react';

/** Lists the webhooks that the server has received. */
export function Webhooks() {
  const [received, setReceived] = useState<string[]>([]);
  useEffect(() => {
    const source = new EventSource('/received');
    source.onmessage = ({ data }) => setReceived((earlier) => [...earlier, String(data)]);
    return () => source.close();
  }, []);
  return (
    <section>
      <h2>Webhooks</h2>
      <ul aria-label="Webhooks">
        {received.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}
