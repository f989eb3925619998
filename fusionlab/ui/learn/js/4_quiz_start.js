export default function ({ parentElement, data, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".quiz");
  const tell = (message) => setTriggerValue("act", message);
  if (root.quiz) root.quiz.tell = tell;
  else root.quiz = new Quiz(root, tell);
  root.quiz.show(data);
  keep(data.keep, (kept) => setStateValue("kept", kept));
}
