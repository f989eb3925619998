export default function ({ parentElement, data, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".lesson");
  const tell = (message) => setTriggerValue("act", message);
  if (root.lesson) root.lesson.tell = tell;
  else root.lesson = new Lesson(root, tell);
  root.lesson.show(data);
  keep(data.keep, (kept) => setStateValue("kept", kept));
}
